/** The contract tests that every store must pass: `@brokerwire/stores/testing`. */
export { type StoreContractCase, type StoreContractOptions, storeContract } from './store-contract.ts'
