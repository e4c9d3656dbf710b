/** Runs the suites in a page, and sends their outcomes to the server of the page. */
import { ANSWER_PATH } from '@brokerwire/testing/answer-path'
import { runSuites } from './suite.ts'

const outcomes = await runSuites({ tcp: false })
await fetch(ANSWER_PATH, { method: 'POST', body: JSON.stringify(outcomes) })
