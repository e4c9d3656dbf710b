/** The entry point `@brokerwire/otel`: OpenTelemetry spans and metrics from the observers of the other packages. */
export type { TracedEntry, TracedSink } from './relay-trace.ts'
export type {
  ClientSource,
  HttpAttempt,
  HttpAttemptEnd,
  HttpTelemetry,
  Notice,
  OperationWait,
  QuotesBatchReport,
  QuotesNoticeReport,
  QuotesStateReport,
  QuotesTelemetry,
  RelayAppSource,
  RelayStoredReport,
  RelayTelemetry,
  StreamAliveReport,
  StreamAttempt,
  StreamBatchReport,
  StreamNoticeReport,
  StreamSource,
  StreamStateReport,
  StreamsTelemetry,
  TokenCallEnd,
  TokenStateReport,
  TokensTelemetry,
  TokenWait,
} from './reports.ts'
export {
  createTelemetry,
  type Telemetry,
  type TelemetryObserver,
  type TelemetryOptions,
} from './telemetry.ts'
