/**
 * Event summaries for the packages of this repository. They are outside of semantic versioning: do not import
 * them.
 */
export {
  type EventSummary,
  type SummarizedEvent,
  type SummaryOptions,
  type SummaryTone,
  summarizeEvent,
} from './summary/summary.ts'
