/** Schemas of options, for the packages of this repository. Outside semantic versioning: do not import it. */
export { SIGNER_OPTIONS } from './signer-options.ts'
