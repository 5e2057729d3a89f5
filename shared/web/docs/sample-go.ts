/** Builds the samples in Go, with the standard library only. */
import type { Prerequisite, SampleCall, SampledOperation } from './sample-calls.ts';
import { Expression, goLiteral } from './sample-literals.ts';

/**
 * Returns the functions that all samples call, as a file of their package. Every request that changes something has an idempotency key.
 * @param apiVersion the version that the requests ask for. Undefined: that of the key
 */
export const goHelper = (apiVersion: string | undefined): string => `package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func call(method, path string, input, output any) {
	var body bytes.Buffer
	if input != nil {
		must(json.NewEncoder(&body).Encode(input))
	}
	request, err := http.NewRequest(method, os.Getenv("REMIT_URL")+path, &body)
	must(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("REMIT_API_KEY"))${apiVersion === undefined ? '' : `\n\trequest.Header.Set("X-API-Version", "${apiVersion}")`}
	request.Header.Set("Content-Type", "application/json")
	if method != "GET" {
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode >= 400 {
		log.Fatalf("%s: %s", response.Status, answer)
	}
	if file, ok := output.(*[]byte); ok {
		*file = answer
		return
	}
	must(json.Unmarshal(answer, output))
}`;

/** The file of the helper. */
export const goHelperFile = 'call.go';

/** Returns the first lines of a program that imports packages of the standard library. */
const programStart = (packages: readonly string[]) => `package main

import (
${packages.map((name) => `\t"${name}"`).join('\n')}
)

func main() {`;

/** Returns the Go program of an operation. */
export function goOf(
  { method, path, body }: SampledOperation,
  { inPath = [], inBody = {}, query, file }: SampleCall,
): string {
  const prerequisites = [...inPath, ...Object.values(inBody)];
  const filled = inPath.reduce((text, { variable }) => text.replace(/\{\w+\}/, `$${variable}`), path);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
  const target = pathOf(search.size > 0 ? `${filled}?${search}` : filled, prerequisites);
  const ids = Object.entries(inBody).map(([name, each]) => [name, new Expression(idOf(each))]);
  const input = body ? goLiteral({ ...body, ...Object.fromEntries(ids) }, '\t') : 'nil';
  return [
    programStart(file === undefined ? ['encoding/json', 'fmt'] : ['os']),
    ...prerequisites.map((needed) => lookup(needed, prerequisites)),
    `\tvar result ${file === undefined ? 'json.RawMessage' : '[]byte'}`,
    `\tcall("${method}", ${target}, ${input}, &result)`,
    file === undefined ? '\tfmt.Println(string(result))' : `\tmust(os.WriteFile("${file}", result, 0o600))`,
    '}',
  ].join('\n');
}

/** A resource is in a variable of its own, or the first one of a page. */
const nameOf = ({ variable, body }: Prerequisite) => `${variable.toLowerCase()}${body ? '' : 'Page'}`;
const idOf = (needed: Prerequisite) =>
  needed.body ? `${nameOf(needed)}.ID` : `${nameOf(needed)}.Data[0].ID`;

function lookup(needed: Prerequisite, all: readonly Prerequisite[]): string {
  const { path, body } = needed;
  const name = nameOf(needed);
  const type = body ? 'struct{ ID string }' : 'struct{ Data []struct{ ID string } }';
  const input = body ? goLiteral(body, '\t') : 'nil';
  return `\tvar ${name} ${type}\n\tcall("${body ? 'POST' : 'GET'}", ${pathOf(path, all)}, ${input}, &${name})`;
}

/** Returns a path as an expression, in which each shell variable is the ID of its resource. */
function pathOf(path: string, prerequisites: readonly Prerequisite[]): string {
  return path
    .split(/(\$[A-Z]+)/)
    .filter((part) => part !== '')
    .map((part) => {
      const needed = prerequisites.find(({ variable }) => part === `$${variable}`);
      return needed ? idOf(needed) : `"${part}"`;
    })
    .join('+');
}
