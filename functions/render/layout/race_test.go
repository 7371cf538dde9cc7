//go:build race

package layout

// mostMemory is what a page may take in all, in MB. The race detector takes half as much again for itself.
const mostMemory = 400
