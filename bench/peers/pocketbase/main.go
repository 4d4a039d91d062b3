package main

import "github.com/pocketbase/pocketbase"

func main() { pocketbase.New().Start() }
