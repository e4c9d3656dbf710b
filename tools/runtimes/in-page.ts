/** The suite in a page: its outcomes go back to the server that gave out the page. */
import { ANSWER_PATH } from '@brokerwire/testing/answer-path'
import { runSuite } from './suite.ts'

const outcomes = await runSuite({ tcp: false })
await fetch(ANSWER_PATH, { method: 'POST', body: JSON.stringify(outcomes) })
