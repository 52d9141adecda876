import Composition
import Draft
import Media

/// The things that a worker keeps from job to job and nodes need; each node gets those that it
/// uses.
struct PictureSupplies {
    var readers: ReaderPool<VideoReader>
    var stills: StillCache
    var layerStills: LayerStills
    var looks: LookCache
    var plugins: LoadedPlugins
    var damage: DamageNotes
    /// Where frames may lie that play backwards; nil: nowhere.
    var spillFolder: String?
    var makeSpill: (_ folder: String) -> PictureSpill? = { PictureSpill(in: $0) }
    /// Called after each bounded piece of work; what it throws ends the work.
    var pulse: Pulse
    /// What is shown in place of the main track's background; nil: the background.
    var live: LiveSource?
}

extension WorkerContext {
    var supplies: PictureSupplies {
        PictureSupplies(
            readers: video, stills: stills, layerStills: layerStills, looks: looks, plugins: plugins, damage: damage,
            spillFolder: spillFolder, pulse: libavPulse)
    }
}

extension PictureSupplies {
    /// The pictures of a file on a canvas.
    /// - Parameter request: which of them a frame shows; nil: none. All frames of a still image
    ///   show the same.
    func content(
        of file: MediaFile, on fit: CanvasFit, _ mixing: Clip.FrameMixing = .nearest,
        _ request: @escaping (Int) -> FileSource.Request?
    ) -> ContentNodes {
        if file.info.kind == .image {
            let placement = StillPlacement(StillSource(file, isKept: false, damage), of: file, fit, stills)
            return ContentNodes(output: placement, parts: [placement])
        }
        return content(
            from: FileSource(file, from: readers, damage, spillFolder: spillFolder, pulse: pulse, request), of: file,
            on: fit, mixing)
    }

    /// The pictures of a source on a canvas.
    func content(
        from source: any MovingSource, of file: MediaFile, on fit: CanvasFit, _ mixing: Clip.FrameMixing
    ) -> ContentNodes {
        if mixing == .blend {
            let placement = BlendedPlacement(source, of: file, fit)
            return ContentNodes(output: placement, parts: [source, placement])
        }
        let placement = CanvasPlacement(source.node, of: file, fit)
        return ContentNodes(output: placement, parts: [source, placement])
    }
}
