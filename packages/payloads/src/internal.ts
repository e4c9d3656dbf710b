/** Events in words, for the packages of this repository. Outside semantic versioning: do not import it. */
export {
  type EventSummary,
  type SummarizedEvent,
  type SummaryOptions,
  type SummaryTone,
  summarizeEvent,
} from './summary/summary.ts'
