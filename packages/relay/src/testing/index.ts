/** The contract tests that every sink must pass: `@brokerwire/relay/testing`. */
export { CONTRACT_ADDRESS } from './contract-entries.ts'
export type { SinkFixture } from './fixture.ts'
export {
  type SinkContractCase,
  type SinkContractOptions,
  sinkContract,
} from './sink-contract.ts'
