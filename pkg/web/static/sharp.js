// Says whether a picture is blurred, before it is sent. The portal loads it for pictures only.

const side = 1000, tile = 32, contrast = 400, enough = 10, sharp = 0.04;

/** Variance of the grey values of a tile, and of their Laplacian, which is high where edges are sharp. */
function variances(grey, width, left, top) {
  let n = 0, sum = 0, squares = 0, edges = 0, edgeSquares = 0;
  for (let y = top; y < top + tile; y++) for (let x = left; x < left + tile; x++) {
    const i = y * width + x, v = grey[i];
    const edge = grey[i - 1] + grey[i + 1] + grey[i - width] + grey[i + width] - 4 * v;
    n++; sum += v; squares += v * v; edges += edge; edgeSquares += edge * edge;
  }
  return [squares / n - (sum / n) ** 2, edgeSquares / n - (edges / n) ** 2];
}

const at = (list, part) => list.sort((a, b) => a - b)[Math.floor(list.length * part)];

/** How sharp a picture is: the sharpest tenth of its tiles with contrast; undefined where too few have some. Its
 * plainest tiles say how grainy it is, which is no sharpness. */
export async function sharpness(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const width = Math.round(picture.width * scale), height = Math.round(picture.height * scale);
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height), grey = new Float32Array(width * height);
  for (let i = 0; i < grey.length; i++) grey[i] = 0.3 * data[4 * i] + 0.59 * data[4 * i + 1] + 0.11 * data[4 * i + 2];
  const tiles = [];
  for (let y = 1; y + tile < height; y += tile) for (let x = 1; x + tile < width; x += tile) {
    tiles.push(variances(grey, width, x, y));
  }
  const grain = at(tiles.map(([, edges]) => edges), 0.1);
  const ratios = tiles.filter(([spread]) => spread > contrast).map(([spread, edges]) => (edges - grain) / spread);
  return ratios.length < enough ? undefined : at(ratios, 0.9);
}

/** Whether a picture is blurred. One with too little contrast to say so is not. */
export async function blurred(file) {
  return (await sharpness(file)) < sharp;
}
