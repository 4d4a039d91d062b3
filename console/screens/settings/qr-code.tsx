import { correction, generate } from "lean-qr";
import { toSvgPath } from "lean-qr/extras/svg";

/** Modules that stay light around a QR code (ISO/IEC 18004). */
const QUIET = 4;

/** A text as a QR code, dark on light in every theme: cameras look for that. */
export function QrCode({ of, label }: { of: string; label: string }) {
  const code = generate(of, { minCorrectionLevel: correction.L });
  const size = code.size + 2 * QUIET;
  return (
    <svg
      class="qr-code"
      viewBox={`${-QUIET} ${-QUIET} ${size} ${size}`}
      role="img"
      aria-label={label}
    >
      <rect x={-QUIET} y={-QUIET} width="100%" height="100%" fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
