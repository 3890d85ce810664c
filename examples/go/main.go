// A bellhop: carries a suitcase every two seconds, keeps its tally in tally.json across restarts, and answers on $PORT.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

type tally struct {
	sync.Mutex
	Runs      int    `json:"runs"`
	Suitcases int    `json:"suitcases"`
	MemoryMB  uint64 `json:"memory_mb"`
}

func main() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	carried := &tally{}
	if err := carried.open(); err != nil {
		log.Fatal(err)
	}
	carried.Runs++
	log.Printf("The bellhop is ready: run number %d, %d suitcases so far.", carried.Runs, carried.Suitcases)

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() { log.Fatal(http.ListenAndServe(":"+port(), carried)) }()

	tick := time.NewTicker(2 * time.Second)
	for {
		if err := carried.save(); err != nil {
			log.Fatal(err)
		}
		select {
		case <-tick.C:
			carried.carry()
		case <-stop:
			log.Printf("bye: the tally is saved with %d suitcases", carried.Suitcases)
			return
		}
	}
}

func (t *tally) carry() {
	t.Lock()
	defer t.Unlock()
	t.Suitcases++
	t.MemoryMB = memoryMB()
	log.Printf("suitcase %d carried to floor %d (%d MB in use)", t.Suitcases, 1+t.Suitcases%5, t.MemoryMB)
}

func (t *tally) ServeHTTP(response http.ResponseWriter, _ *http.Request) {
	t.Lock()
	defer t.Unlock()
	response.Header().Set("Content-Type", "application/json")
	json.NewEncoder(response).Encode(t)
}

func (t *tally) open() error {
	text, err := os.ReadFile("tally.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, t)
}

// save puts the new tally in the old one's place in one step: a sudden end leaves either, never half of one.
func (t *tally) save() error {
	t.Lock()
	defer t.Unlock()
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.WriteFile("tally.json.new", append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("the tally could not be saved: %w", err)
	}
	return os.Rename("tally.json.new", "tally.json")
}

func memoryMB() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Sys / 1024 / 1024
}

func port() string {
	if port := os.Getenv("PORT"); port != "" {
		return port
	}
	return "3000"
}
