/** The entry point `@brokerwire/otel`: OpenTelemetry spans and metrics from the observers of the other packages. */
export type {
  HttpAttempt,
  HttpAttemptEnd,
  HttpTelemetry,
  Notice,
  StreamAliveReport,
  StreamAttempt,
  StreamBatchReport,
  StreamNoticeReport,
  StreamSource,
  StreamStateReport,
  StreamsTelemetry,
} from './reports.ts'
export {
  createTelemetry,
  type Telemetry,
  type TelemetryObserver,
  type TelemetryOptions,
} from './telemetry.ts'
