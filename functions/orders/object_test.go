package orders_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// object is an object of an answer.
type object map[string]any

func (o object) int(field string) int64 {
	number, _ := o[field].(json.Number)
	n, _ := number.Int64() // 0 where there is none
	return n
}

// cents is an amount in hundredths.
func (o object) cents(field string) int64 {
	n, _ := strconv.ParseInt(strings.Replace(fmt.Sprint(o[field]), ".", "", 1), 10, 64)
	return n
}

func (o object) object(field string) object {
	of, _ := o[field].(map[string]any)
	return of
}

func (o object) objects(field string) (all []object) {
	for _, one := range list(o[field]) {
		of, _ := one.(map[string]any)
		all = append(all, of)
	}
	return all
}
