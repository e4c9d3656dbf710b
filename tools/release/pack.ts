/** `pnpm pack:all`: packs the tarballs that the checks read. Those checks pack them too when they run alone. */
import { report } from '../ci/lib/report.ts'
import { tarballs } from './packed/tarballs.ts'
import { currentPlace, NO_PLACE } from './place.ts'

const packed = await tarballs()
if (currentPlace() === undefined) console.log(NO_PLACE)
report('pack', [], `${packed.length} tarballs`)
