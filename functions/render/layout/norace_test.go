//go:build !race

package layout

// mostMemory is what a page may take in all, in MB: the function is bound to 256.
const mostMemory = 220
