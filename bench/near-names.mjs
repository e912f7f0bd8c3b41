// What the caller may have meant by an unknown name: the names that contain it, else those
// that share the most pairs of letters with it.

const NAMES_MAX = 5
const LIKENESS_MIN = 0.4

export function nearNames(wanted, names) {
  if (wanted === '') return []
  const containing = names.filter((name) => lower(name).includes(lower(wanted)))
  if (containing.length > 0) return containing.slice(0, NAMES_MAX)
  return names
    .map((name) => ({ name, likeness: likenessOf(wanted, name) }))
    .filter(({ likeness }) => likeness >= LIKENESS_MIN)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, NAMES_MAX)
    .map(({ name }) => name)
}

/** The share of the pairs of letters of either that both have (Dice). */
function likenessOf(one, other) {
  const [left, right] = [pairsOf(lower(one)), pairsOf(lower(other))]
  const common = [...left].filter((pair) => right.has(pair)).length
  return (2 * common) / Math.max(1, left.size + right.size)
}

const lower = (text) => text.toLowerCase()

function pairsOf(text) {
  const pairs = new Set()
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2))
  return pairs
}
