/** Option schemas and names for the packages of this repository. Not covered by semantic versioning: do not import. */
export { QUOTES_OBSERVER } from './observer.ts'
export { QUOTES_OPTIONS } from './quotes-options.ts'
