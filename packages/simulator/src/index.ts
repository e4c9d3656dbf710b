/** A local simulator of the service: signed HTTP, event streams, faults, virtual time. */
export type { SimulatedApp, SimulatedBrokerageOptions } from './apps/simulated-app.ts'
export {
  type ControlEmission,
  type ControlFault,
  type ControlSettings,
  connectControl,
  type SimulatorControl,
} from './control/control-client.ts'
export type {
  ModuleEmission,
  OrderEmission,
  PositionEmission,
  RawModuleEmission,
  RawTradeEmission,
} from './events/emissions.ts'
export {
  type EmittedModuleEvent,
  type EmittedTradeEvent,
  TRADE_EVENT_CODES,
  type TradeEventKind,
} from './events/emitted.ts'
export type { SimulatedOrder } from './events/orders.ts'
export type { FaultCount } from './fault-queue.ts'
export type { ControlFrame } from './grpc/dialect.ts'
export { FRAME_FAULTS, type FrameFault } from './grpc/frame-fault.ts'
export type { OpenSubscription } from './grpc/stream-hub.ts'
export { type StreamService, SUBSCRIPTION_FAULTS, type SubscriptionFault } from './grpc/subscription-fault.ts'
export type { HttpFault } from './http/http-fault.ts'
export type { AppOptions, SimulatorOptions, TradableSymbol } from './options.ts'
export {
  startTcpProxy,
  type TcpProxy,
  type TcpProxyOptions,
  type TrafficDirection,
} from './proxy/tcp-proxy.ts'
export type { ConnectFault } from './quotes/broker.ts'
export type { QuotesAction, QuotesActionName } from './quotes/quotes-actions.ts'
export type {
  PushedMessage,
  QuoteSessionSelection,
  QuoteSessionView,
  QuotesControls,
} from './quotes/quotes-controls.ts'
export type { QuotesSimulationOptions } from './quotes/quotes-options.ts'
export type { SubscribedSymbol, SubType } from './quotes/sessions.ts'
export { type RecordedEvent, type Recording, readRecording } from './recording/recording.ts'
export { type ReplayOptions, replaySteps } from './recording/replay.ts'
export type { LoggedRequest, LoggedRequestWithBody, RequestedSubscription } from './request-log.ts'
export { type RouteRequest, stringField } from './routes/route-request.ts'
export {
  errorResponse,
  jsonResponse,
  type RouteResponse,
  type RouteResponseInit,
  textResponse,
} from './routes/route-response.ts'
export type { Route, RouteHandler, RouteOptions } from './routes/route-table.ts'
export type { ScenarioEnd, ScenarioRun } from './scenario/runner.ts'
export {
  type FaultStep,
  lifecycles,
  SCENARIO_NAMES,
  type Scenario,
  type ScenarioName,
  type ScenarioStep,
} from './scenario/scenario.ts'
export { readScenarioFile, type ScenarioFile } from './scenario/scenario-file.ts'
export { scenarioSchema } from './scenario/scenario-schema.ts'
export { startSimulator } from './simulator.ts'
export type {
  AdvanceOptions,
  AdvanceResult,
  Simulator,
  StreamControls,
  StreamStatus,
} from './simulator-api.ts'
export {
  isSimulatorError,
  SimulatorError,
  type SimulatorErrorCode,
  type SimulatorErrorDetails,
} from './simulator-error.ts'
export type { FaultOptions, SimulatorFaults, StreamSelection } from './simulator-faults.ts'
export { createSelfSignedCertificate } from './tls/self-signed-certificate.ts'
export type { TlsOptions } from './tls/tls-options.ts'
export type { RateLimit } from './tokens/rate-limit.ts'
export type { MarketHours } from './trading/market-hours.ts'
export type { OperationLimit, TradingOperation } from './trading/operations.ts'
export type { TradingOrderStatus } from './trading/order.ts'
export type {
  TradingAccountView,
  TradingControls,
  TradingFault,
  TradingOrderSelection,
  TradingOrderView,
  TradingPositionView,
} from './trading/trading-controls.ts'
export type { OperationLimits, TradingSimulationOptions } from './trading/trading-options.ts'
export type {
  PendingToken,
  RequestMatch,
  SimulatorWaits,
  SubscriptionMatch,
} from './waiting/simulator-waits.ts'
export type { WaitOptions } from './waiting/waiter-registry.ts'
export type { Instrument } from './wire/instruments.ts'
export { MODULE_NAMES, MODULES, type ModuleDefinition, type ModuleName } from './wire/modules.ts'
export {
  type NewOrder,
  ORDER_SCENES,
  type OrderScene,
  type OrderState,
  type OrderStatus,
} from './wire/order.ts'
export type { Quirks } from './wire/quirks.ts'
