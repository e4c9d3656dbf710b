/** What observers of the runners are told. They cannot steer. */
import { tell } from '@brokerwire/core'
import type { AnswerIssue, ApiCall, ApiFailureKind, ApiResult } from './types.ts'

/** What an observer is told. Never holds a token. */
export type TokenObservation =
  | {
      readonly type: 'call'
      readonly call: ApiCall
      /** `undefined`: it succeeded. */
      readonly failure: ApiFailureKind | undefined
      readonly status: number | undefined
    }
  /** An answer differs from the documents and was accepted. */
  | { readonly type: 'answer-issue'; readonly call: ApiCall; readonly issue: AnswerIssue }

/** Tells of a call and of what was odd in its answer. */
export function tellCall(
  observe: (observation: TokenObservation) => void,
  call: ApiCall,
  result: ApiResult<{ readonly issues?: readonly AnswerIssue[] | undefined }>,
): void {
  const failure = result.ok ? undefined : result.failure
  tell(() => observe({ type: 'call', call, failure: failure?.kind, status: failure?.status }))
  for (const issue of (result.ok && result.value.issues) || [])
    tell(() => observe({ type: 'answer-issue', call, issue }))
}
