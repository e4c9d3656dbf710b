/** One rule of the transport: the expected result, the document that requires it, and the result of connect-node if it differs. */
import type { Harness } from '../harness.ts'

/** The result of a rule's scenario, as data that can be compared. */
export type Observation = unknown

/** A rule. */
export interface Rule {
  /** The rule as a sentence, which identifies it. */
  readonly id: string
  /** The document, and its section, that requires the result. */
  readonly source: string
  /** Runs the scenario and returns the observed result. */
  readonly run: (harness: Harness) => Promise<Observation>
  /** The result of this package's transport. */
  readonly expected: Observation
  /** The result of connect-node, if it differs, and the reason why ours is different. */
  readonly connectNode?: Difference
}

/** A different result of connect-node. */
export type Difference =
  | { readonly expected: Observation; readonly because: string }
  /** The scenario is not run, because it would end the test process or never return. */
  | { readonly notRun: true; readonly because: string }

/** The documents of the rules. */
export const PROTOCOL = 'PROTOCOL-HTTP2.md'
export const HTTP_MAPPING = 'http-grpc-status-mapping.md'
export const COMPRESSION = 'compression.md'
export const STATUS_CODES = 'statuscodes.md'
export const RFC_9113 = 'RFC 9113'
export const CONNECT = 'Connect, Transport'
