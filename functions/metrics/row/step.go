package row

import (
	"fmt"
	"hash/fnv"

	"github.com/tenantry/tenantry/shared/table"
)

// set are the rows of a line, a service or a fee of an order: the base, which is alone where all of it is on one day, and steps for other
// days.
type set struct {
	base  Row
	steps []Row // by their ids
}

// mostID is the highest id that a record can have. Lines with ids so high that the ids of their steps would be higher have one row.
const mostID = table.MaxID

// The ids of steps follow from the id of the base and the number of the step, which is at least 1 and less than perLine.
const (
	ofLineStep  = sources     // of an item line
	ofOtherStep = sources + 1 // of a service, a fee, or what was paid for nothing
)

func stepID(base int64, n int) int64 {
	id, source := base/perSource, base%perSource
	if source == ofLine {
		return idOf(ofLineStep, id*perLine+int64(n))
	}
	return idOf(ofOtherStep, (id*perSource+source)*perLine+int64(n))
}

// numberOf is the number of a step.
func numberOf(id int64) int64 { return id / perSource % perLine }

// numbersOf are the numbers of steps, packed.
func numbersOf(steps []Row) []byte {
	var numbers []int64
	for i := range steps {
		numbers = append(numbers, numberOf(steps[i].ID))
	}
	return pack(numbers)
}

// stepsOf are the ids of the steps that a base may have.
func (r *Row) stepsOf() (ids []int64, err error) {
	if r == nil {
		return nil, nil
	}
	numbers, err := unpack(r.Steps)
	for _, n := range numbers {
		ids = append(ids, stepID(r.ID, int(n)))
	}
	return ids, err
}

// madeOf is a digest of what steps say, by which it is known that they are as they should be, without reading them; 0 if there are none.
func madeOf(base *Row, steps []Row) int64 {
	if len(steps) == 0 {
		return 0
	}
	digest := fnv.New64a()
	num := func(of *int64) int64 {
		if of == nil {
			return -1
		}
		return *of
	}
	_, _ = fmt.Fprintf(digest, "%s %d %d %d %d %d %d\n", base.Letter, num(base.Order), num(base.Client), num(base.Item), num(base.Group),
		num(base.Service), num(base.Point)) // a digest takes everything
	for i := range steps {
		s := &steps[i]
		_, _ = fmt.Fprintf(digest, "%d %s %d %d\n", s.ID, s.Date, s.Prediction.Cents(), s.Profit.Cents())
	}
	return int64(digest.Sum64()>>1 | 1) // not 0
}
