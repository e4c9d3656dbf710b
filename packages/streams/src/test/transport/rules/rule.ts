/**
 * One row of the table of rules: what must happen, by which document, and what connect-node does instead where it
 * does something else.
 */
import type { Bench } from '../bench.ts'

/** What a rule's scenario gives back: data that can be compared. */
export type Observation = unknown

/** A row. */
export interface Rule {
  /** Unique, short. */
  readonly id: string
  /** The document and its section that the expectation comes from. */
  readonly source: string
  /** Plays the scenario and says what was observed. */
  readonly run: (bench: Bench) => Promise<Observation>
  /** What our transport does. */
  readonly expected: Observation
  /** What connect-node does, where that is something else, and why ours does not. */
  readonly connectNode?: Difference
}

/** How connect-node differs. */
export type Difference =
  | { readonly expected: Observation; readonly because: string }
  /** It would take the test process with it, or never come back. */
  | { readonly notRun: true; readonly because: string }

/** Documents that the rules come from. */
export const PROTOCOL = 'PROTOCOL-HTTP2.md'
export const HTTP_MAPPING = 'http-grpc-status-mapping.md'
export const COMPRESSION = 'compression.md'
export const STATUS_CODES = 'statuscodes.md'
export const RFC_9113 = 'RFC 9113'
export const CONNECT = 'Connect, Transport'
