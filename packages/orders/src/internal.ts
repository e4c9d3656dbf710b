/** Schemas of options, for the packages of this repository. Outside semantic versioning: do not import it. */
export { ORDER_BACKFILL_OPTIONS } from './backfill/options.ts'
