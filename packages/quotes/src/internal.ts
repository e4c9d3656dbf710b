/** Schemas of options, for the packages of this repository. Outside semantic versioning: do not import it. */
export { QUOTES_OPTIONS } from './quotes-options.ts'
