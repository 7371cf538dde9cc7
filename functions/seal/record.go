package seal

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pdf"
)

// maxRecord is more than any record has, in bytes.
const maxRecord = 8 << 20

var errNoRecord = errors.New("seal: the file holds no record of its signs")

// RecordOf reads the record inside a sealed file. Whether the file is whole is for pades.Verify to say.
func RecordOf(sealed []byte) (r job.Record, err error) {
	file, err := pdf.Read(sealed)
	if err != nil {
		return r, err
	}
	for ref := range file.Objects() {
		specification, err := file.Dict(ref)
		if err != nil || specification["Type"] != pdf.Name("Filespec") || specification["F"] != pdf.Text(job.AuditName) {
			continue
		}
		embedded, err := file.Dict(specification["EF"])
		if err != nil {
			return r, err
		}
		content, err := file.Resolve(embedded["F"])
		if err != nil {
			return r, err
		}
		stream, ok := content.(*pdf.Stream)
		if !ok {
			return r, errNoRecord
		}
		plain, err := zlib.NewReader(bytes.NewReader(stream.Data))
		if err != nil {
			return r, fmt.Errorf("seal: record: %w", err)
		}
		data, err := io.ReadAll(io.LimitReader(plain, maxRecord))
		if err != nil {
			return r, fmt.Errorf("seal: record: %w", err)
		}
		err = json.Unmarshal(data, &r)
		return r, err
	}
	return r, errNoRecord
}
