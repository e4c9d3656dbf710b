/** Colors by meaning. No other file names a color. */
import pc from 'picocolors'

/** Meaning of a text. */
export type Tone = 'good' | 'bad' | 'notice' | 'module' | 'muted' | 'strong' | 'plain'

/** Applies the color of a meaning to a text. */
export type Paint = (tone: Tone, text: string) => string

/** @param color - Whether the output supports colors. */
export function createPaint(color: boolean): Paint {
  const colors = pc.createColors(color)
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: colors.green,
    bad: colors.red,
    notice: colors.yellow,
    module: colors.cyan,
    muted: colors.dim,
    strong: colors.bold,
    plain: (text) => text,
  }
  return (tone, text) => tones[tone](text)
}
