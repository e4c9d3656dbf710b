/** The suite in a page: its outcomes go back to the server that gave out the page. */
import { runSuite } from './suite.ts'

const outcomes = await runSuite()
await fetch('/outcomes', { method: 'POST', body: JSON.stringify(outcomes) })
