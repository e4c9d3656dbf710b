/**
 * Event summaries, and decoding without options, for the packages of this repository. They are outside of semantic
 * versioning: do not import them.
 */
export { decodeText } from './decode.ts'
export {
  type EventSummary,
  type SummarizedEvent,
  type SummaryOptions,
  type SummaryTone,
  summarizeEvent,
} from './summary/summary.ts'
