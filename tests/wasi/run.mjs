// Runs a wasip1 test binary under node: cargo's runner for wasm32.
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { WASI } from 'node:wasi';

// Node 20's fast calls into WASI overwrite its own heap once the memory of a module has grown: all tests pass, and then node
// dies of SIGSEGV.
setFlagsFromString('--no-turbo-fast-api-calls');

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env, preopens: { '/': '/' } });
const module = await WebAssembly.compile(await readFile(program));
// Not getImportObject(), which Debian's node 18 lacks.
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exit(wasi.start(instance));
