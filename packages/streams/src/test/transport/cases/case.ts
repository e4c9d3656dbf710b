/** A case: one call, played over both transports, and what must come of it. */
import type { CaseBench } from './case-bench.ts'

/** What connect-node does instead, and why ours does not. */
export interface CaseDifference {
  readonly expected: string
  readonly because: string
}

/** One call. */
export interface Case {
  /** Unique: the values of its dimensions. */
  readonly id: string
  /** Plays it, and says what was observed. */
  readonly run: (bench: CaseBench) => Promise<string>
  /** By the documents of gRPC. */
  readonly expected: string
  readonly connectNode: CaseDifference | undefined
}

/** Cases over the same dimensions. */
export interface CaseGroup {
  readonly name: string
  /** What the parts of an id mean, and what is observed. */
  readonly text: string
  readonly cases: readonly Case[]
}
