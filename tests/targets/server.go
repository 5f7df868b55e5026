// SPDX-License-Identifier: MIT

// A program like a server: a map of objects, goroutines that never end, memory that was released.
// Usage: server OBJECTS GOROUTINES. Prints `ready`, and for each line of its input its figures.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"unsafe"
)

type object struct {
	name string
	data []byte
}

var objects = map[int]*object{}
var never = make(chan int)

// Makes the stack so large that the calls below need no other one.
//
//go:noinline
func grow(index int) byte {
	var frame [8192]byte
	frame[index] = 1
	return frame[index/2]
}

// Waits forever, with a stack that grows with the depth.
func wait(depth int, started *sync.WaitGroup, stack *uintptr) int {
	var frame [512]byte
	frame[depth] = byte(depth)
	if depth == 0 {
		grow(len(os.Args))
		*stack = uintptr(unsafe.Pointer(&frame))
		started.Done()
		return <-never
	}
	return wait(depth-1, started, stack) + int(frame[0])
}

func number(index int) int {
	value, err := strconv.Atoi(os.Args[index])
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	count, goroutines := number(1), number(2)
	for i := 0; i < count; i++ {
		objects[i] = &object{"object " + strconv.Itoa(i), make([]byte, 200+i%800)}
	}
	for i := 0; i < count/2; i++ {
		delete(objects, i)
	}

	var started sync.WaitGroup
	stacks := make([]uintptr, goroutines)
	started.Add(goroutines)
	for i := 0; i < goroutines; i++ {
		go wait(i%16, &started, &stacks[i])
	}
	started.Wait()
	runtime.GC()
	debug.FreeOSMemory()

	for i := 0; i < goroutines; i += 100 {
		fmt.Println("stack", stacks[i])
	}
	for i := count - 1; i >= 0 && i > count-100; i-- {
		fmt.Println("object", uintptr(unsafe.Pointer(&objects[i].data[0])))
	}
	fmt.Println("ready", runtime.Version())

	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println("figures", m.HeapInuse, m.HeapIdle, m.HeapReleased, m.StackInuse, m.NumGC,
			m.Sys-m.HeapReleased, runtime.NumGoroutine())
	}
}
