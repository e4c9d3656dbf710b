/** A mutant that is found by luck would be listed as a survivor one day and missing the next. */
import fc from 'fast-check'

fc.configureGlobal({ numRuns: 40, seed: 20_260_301 })
