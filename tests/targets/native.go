// SPDX-License-Identifier: MIT

// A program with C code: blocks of malloc, and objects of Go. Prints addresses, then `ready`.
package main

/*
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size)
{
	void *block = malloc(size);
	memset(block, 1, size);
	return block;
}
*/
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

var blocks []unsafe.Pointer
var objects [][]byte

func main() {
	for i := 0; i < 20000; i++ {
		blocks = append(blocks, C.allocate(1000))
		objects = append(objects, make([]byte, 500))
	}
	blocks = append(blocks, C.allocate(5<<20))
	for i := 0; i <= 20000; i += 1000 {
		fmt.Println("malloc", uintptr(blocks[i]))
	}
	for i := 0; i < 20000; i += 1000 {
		fmt.Println("object", uintptr(unsafe.Pointer(&objects[i][0])))
	}
	fmt.Println("ready", runtime.Version())
	bufio.NewScanner(os.Stdin).Scan()
}
