// The web bot of bot.js in Go.
package main

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

var (
	lock    sync.Mutex
	streams = map[chan string]bool{}
	closing = make(chan struct{})
)

func main() {
	http.HandleFunc("/plain", plain)
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/events", events)
	http.HandleFunc("/publish", publish)
	http.HandleFunc("/up", up)
	http.HandleFunc("/down", down)
	http.HandleFunc("/ws", webSocket)
	server := &http.Server{Addr: ":" + os.Getenv("PORT")}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		fmt.Println("listening")
		if err := server.ListenAndServe(); err != http.ErrServerClosed {
			log.Fatal(err)
		}
	}()
	<-stop
	close(closing)
	server.Shutdown(context.Background())
}

func plain(response http.ResponseWriter, request *http.Request) {
	headers := map[string]string{"host": request.Host}
	for name, values := range request.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	response.Header().Set("Content-Type", "application/json")
	json.NewEncoder(response).Encode(map[string]any{"language": "go", "httpVersion": request.Proto[5:], "headers": headers})
}

func echo(response http.ResponseWriter, request *http.Request) {
	control := http.NewResponseController(response)
	control.EnableFullDuplex()
	control.Flush()
	buffer := make([]byte, 65536)
	for {
		count, err := request.Body.Read(buffer)
		if count > 0 {
			response.Write(buffer[:count])
			control.Flush()
		}
		if err != nil {
			return
		}
	}
}

func events(response http.ResponseWriter, request *http.Request) {
	control := http.NewResponseController(response)
	texts := make(chan string, 16)
	response.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(response, "data: open\n\n")
	lock.Lock()
	streams[texts] = true
	lock.Unlock()
	control.Flush()
	defer func() {
		lock.Lock()
		delete(streams, texts)
		lock.Unlock()
	}()
	for {
		select {
		case text := <-texts:
			fmt.Fprintf(response, "data: %s\n\n", text)
			control.Flush()
		case <-request.Context().Done():
			return
		case <-closing:
			return
		}
	}
}

func publish(response http.ResponseWriter, request *http.Request) {
	text, _ := io.ReadAll(request.Body)
	lock.Lock()
	defer lock.Unlock()
	for stream := range streams {
		stream <- string(text)
	}
	fmt.Fprint(response, len(streams))
}

func up(response http.ResponseWriter, request *http.Request) {
	bytes, _ := io.Copy(io.Discard, request.Body)
	fmt.Fprint(response, bytes)
}

func down(response http.ResponseWriter, request *http.Request) {
	left, _ := strconv.Atoi(request.URL.Query().Get("bytes"))
	block := make([]byte, 65536)
	for index := range block {
		block[index] = byte(index % 251)
	}
	response.Header().Set("Content-Length", strconv.Itoa(left))
	for ; left > 0; left -= len(block) {
		if _, err := response.Write(block[:min(left, len(block))]); err != nil {
			return
		}
	}
}

func webSocket(response http.ResponseWriter, request *http.Request) {
	sum := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	connection, both, err := http.NewResponseController(response).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprintf(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	echoFrames(both.Reader, connection)
}

func echoFrames(from *bufio.Reader, to io.Writer) {
	head := make([]byte, 2)
	for {
		if _, err := io.ReadFull(from, head); err != nil {
			return
		}
		rest := make([]byte, 4+int(head[1]&127))
		if _, err := io.ReadFull(from, rest); err != nil {
			return
		}
		frame := []byte{head[0], head[1] & 127}
		for index, value := range rest[4:] {
			frame = append(frame, value^rest[index%4])
		}
		to.Write(frame)
		if head[0]&15 == 8 {
			return
		}
	}
}
