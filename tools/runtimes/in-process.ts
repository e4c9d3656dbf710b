/** The suite in Node, Deno or Bun: its outcomes on standard output. */
import { runSuite } from './suite.ts'

console.log(JSON.stringify(await runSuite()))
