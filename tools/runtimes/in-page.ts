/** Runs the suites in a page, and sends their outcomes to the server of the page. */
import { RESULT_PATH } from '@brokerwire/testing/result-path'
import { runSuites } from './suite.ts'

const outcomes = await runSuites({ tcp: false })
await fetch(RESULT_PATH, { method: 'POST', body: JSON.stringify(outcomes) })
