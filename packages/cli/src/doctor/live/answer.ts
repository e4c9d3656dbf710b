/** Answers, and the ids of the requests from which they were decided. */
import type { Decision } from './decisions.ts'
import type { CallOutcome, StreamOutcome } from './outcome.ts'
import type { Question } from './questions.ts'

/** The answer to one question, or the reason why there is none. */
export interface Answer {
  readonly question: Question
  readonly decision: Decision
  /** Ids of requests, and of event connections, as the service sent them. */
  readonly requestIds: readonly string[]
}

/** Creates an answer. @param outcomes - The outcomes from which it was decided. */
export function createAnswer(
  question: Question,
  decision: Decision,
  outcomes: readonly (CallOutcome | StreamOutcome)[],
): Answer {
  const ids = outcomes.flatMap((outcome) => {
    const id = 'requestId' in outcome ? outcome.requestId : 'connectionId' in outcome && outcome.connectionId
    return id ? [id] : []
  })
  return { question, decision, requestIds: [...new Set(ids)] }
}
