/** What the simulator tells: its own types, and no code of it. */
export type {
  ConsoleApp,
  ConsoleDiagnosis,
  ConsoleEvent,
  ConsoleFeed,
  ConsoleHello,
  ConsoleMove,
  ConsoleQuoteSession,
  ConsoleRequest,
  ConsoleState,
  ConsoleStream,
  ConsoleToken,
} from '../../../simulator/src/console/wire.ts'
