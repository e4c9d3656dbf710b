/** The contract suite that every store passes: `@brokerwire/stores/testing`. */
export { type StoreContractCase, type StoreContractOptions, storeContract } from './store-contract.ts'
