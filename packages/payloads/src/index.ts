/** Typed, lossless decoders of the JSON events of the brokerage open API. */

export { array } from './combinators/array.ts'
export { booleanLike } from './combinators/boolean-like.ts'
export { decimal } from './combinators/decimal.ts'
export type { Extra } from './combinators/extra.ts'
export { instant } from './combinators/instant.ts'
export { integerLike } from './combinators/integer-like.ts'
export { json } from './combinators/json.ts'
export { literal } from './combinators/literal.ts'
export {
  absent,
  type Field,
  type Fields,
  type ObjectOutput,
  object,
  optional,
  required,
} from './combinators/object.ts'
export { type OpenEnum, openEnum, otherNames, type UnknownName } from './combinators/open-enum.ts'
export { string } from './combinators/string.ts'
export { variant } from './combinators/variant.ts'
export { type DecodeMode, type DecodeOptions, type DecodeResult, decodeJson } from './decode.ts'
export { type DecodeContext, INVALID, invalid, reportDrift, type Source } from './decode-context.ts'
export { type DecodeFunction, type Decoder, decoder, type Infer } from './decoder.ts'
export type { Definition, FieldDefinition } from './definition.ts'
export {
  createDriftReport,
  type DriftEntry,
  type DriftReport,
  type DriftReportOptions,
} from './drift-report.ts'
export { type Envelope, envelope } from './events/envelope.ts'
export { type Fee, fee } from './events/fee.ts'
export { OBSERVED_SCENE_STATUS } from './events/order-fields.ts'
export { type PositionPayload, positionEvent } from './events/position-event.ts'
export { type TradePayload, tradeEvent } from './events/trade-event.ts'
export { formatPath, type Issue, type IssueCode, type PathStep } from './issue.ts'
export { accountInfoUpdate, accountRestrict } from './modules/account.ts'
export { accountCreate } from './modules/application.ts'
export { corporateAction } from './modules/corporate-action.ts'
export { positionSettled } from './modules/event-contract.ts'
export { cashJournal, feeDeduction, instantFunding, transfer } from './modules/funding.ts'
export type {
  EventEnvelope,
  KnownModuleEvent,
  ModuleEvent,
  ModuleEventFields,
  ModuleSchemas,
  RegisteredModuleEvent,
  SodEvent,
  UnknownModuleEvent,
  WithModules,
} from './modules/module-event.ts'
export type { ModuleFrame } from './modules/module-frames.ts'
export { parseModuleName, SUBSCRIBABLE_MODULES, type SubscribableModule } from './modules/module-names.ts'
export { MODULES, type ModuleName } from './modules/module-table.ts'
export { calendarUpdate, propertyChange } from './modules/reference-data.ts'
export { moduleTrade } from './modules/trade.ts'
export { createPayloads, type Payloads, type PayloadsOptions, payloads } from './payloads.ts'
export {
  isPayloadsError,
  PayloadsError,
  type PayloadsErrorCode,
  type PayloadsErrorDetails,
} from './payloads-error.ts'
export type {
  InferOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
  StandardTypes,
} from './standard-schema.ts'
export type { PositionEvent, TradeEvent, TradeFrame, UnknownPayload } from './trade-frames.ts'
export {
  compareDecimals,
  decimalFromBigInt,
  decimalTo,
  decimalToBigInt,
  decimalToPlain,
  parseDecimal,
} from './values/decimal.ts'
export type { Decimal } from './values/decimal-text.ts'
export {
  compareInstants,
  instantToMilliseconds,
  instantToNanoseconds,
  instantToTemporal,
  parseInstant,
  type TemporalInstantLike,
  type TemporalLike,
} from './values/instant.ts'
export type { Instant } from './values/instant-text.ts'
export { isNumberText, NumberText } from './values/number-text.ts'
