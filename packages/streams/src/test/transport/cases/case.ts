/** A case: one call that runs over both transports, and its expected result. */
import type { CaseHarness } from './case-harness.ts'

/** The result of connect-node, if it differs, and the reason why ours is different. */
export interface CaseDifference {
  readonly expected: string
  readonly because: string
}

/** One call. */
export interface Case {
  /** The values of its dimensions, which identify it. */
  readonly id: string
  /** Makes the call and returns the observed result. */
  readonly run: (harness: CaseHarness) => Promise<string>
  /** The result that the documents of gRPC require. */
  readonly expected: string
  readonly connectNode: CaseDifference | undefined
}

/** Cases with the same dimensions. */
export interface CaseGroup {
  readonly name: string
  /** The meaning of the parts of an id, and of the observed result. */
  readonly text: string
  readonly cases: readonly Case[]
}
