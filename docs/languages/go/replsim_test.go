// A replica set for tests in Go. Tested with Go 1.19 and the driver 1.8 of Debian 12, at speed 1 and at speed 0.
package sessions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// ReplicaSet is a set that `replsim serve` runs. The variable REPLSIM says where the program is.
type ReplicaSet struct {
	URI     string `json:"uri"`
	Address string `json:"control"`
}

func startReplicaSet(t *testing.T, options ...string) *ReplicaSet {
	t.Helper()
	program := os.Getenv("REPLSIM")
	if program == "" {
		program = "node_modules/.bin/replsim"
	}
	process := exec.Command(program, append([]string{"serve", "--port", "0", "--control", "0", "--json", "--quiet", "--exit-with-parent"}, options...)...)
	process.Stderr = os.Stderr
	stdout, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Signal(syscall.SIGTERM); _ = process.Wait() })
	lines := bufio.NewReader(stdout)
	serving, _ := lines.ReadBytes('\n')
	if _, err := lines.ReadBytes('\n'); err != nil { // the second line says that there is a primary
		t.Fatal("replsim serve has ended; it says why on stderr")
	}
	set := &ReplicaSet{}
	if err := json.Unmarshal(serving, set); err != nil {
		t.Fatal(err)
	}
	return set
}

// Control sends any request of docs/serve.md: set.Control(t, "fault", map[string]any{"kill": "primary"}). With nil it is a GET.
func (set *ReplicaSet) Control(t *testing.T, verb string, body any) map[string]any {
	t.Helper()
	address, reply := fmt.Sprintf("%s/%s", set.Address, verb), map[string]any{}
	send := func() (*http.Response, error) { return http.Get(address) }
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		send = func() (*http.Response, error) { return http.Post(address, "application/json", bytes.NewReader(text)) }
	}
	response, err := send()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if reply["ok"] != 1.0 {
		t.Fatalf("%s: %v", verb, reply["errmsg"])
	}
	return reply
}
