/** Event summaries for the packages of this repository. Not covered by semantic versioning: do not import. */
export {
  type EventSummary,
  type SummarizedEvent,
  type SummaryOptions,
  type SummaryTone,
  summarizeEvent,
} from './summary/summary.ts'
