/**
 * Before each test file of a mutation run: fewer made-up inputs, and always the same ones. A mutant that is found by
 * luck would be in the list of survivors one day and out of it the next.
 */
import fc from 'fast-check'

fc.configureGlobal({ numRuns: 40, seed: 20_260_301 })
