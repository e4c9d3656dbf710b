/** Types of the messages of the simulator. */
export type {
  ConsoleApp,
  ConsoleDiagnosis,
  ConsoleEvent,
  ConsoleFeed,
  ConsoleHello,
  ConsoleInstrument,
  ConsoleMove,
  ConsoleOrder,
  ConsoleOrderResponse,
  ConsolePrices,
  ConsoleQuoteSession,
  ConsoleRequest,
  ConsoleState,
  ConsoleStream,
  ConsoleToken,
} from '../../../simulator/src/console/wire.ts'
