import Testing

@testable import Slurm

/// The output of Slurm's programs, and their input.
@Suite struct SlurmTextTests {
    @Test func `a listing has our nodes, and nothing else`() {
        let listing = """
            12|RUNNING|1-02:03:04|2-00:00:00|cutroom-abc-7
            13|PENDING|UNLIMITED|UNLIMITED|cutroom-abc-8
            14|COMPLETING|0:00|5:00|cutroom-abc-9
            15|PREEMPTED|0:00|5:00|cutroom-abc-10
            16|RUNNING|INVALID|5:00|cutroom-abcd-7
            17|RUNNING|4:00|5:00|a|b
            18_2|RUNNING|4:00|5:00|cutroom-abc-11
            19|RUNNING|4:00|5:00|cutroom-abc-0
            20|SOMETHING_NEW|4:00|5:00|cutroom-abc-12
            slurm_load_jobs error: Unable to contact slurm controller
            21|CONFIGURING|4:00|5:00|cutroom-abc-13

            """
        let jobs = ClusterJob.jobs(in: listing, named: "cutroom-abc-")
        #expect(jobs.map(\.id) == [12, 13, 14, 21])
        #expect(jobs.map(\.number) == [7, 8, 9, 13])
        #expect(jobs.map(\.state) == [.running, .pending, .ending, .pending])
        #expect(jobs[0].timeLeft == .seconds(93_784) && jobs[0].timeLimit == .seconds(172_800))
        #expect(jobs[1].timeLeft == nil)
    }

    @Test(arguments: ["", ":", "-", "1-", "-1:00", "1:2:3:4", "99999999999999999999", "1-2-3", "x:1", "1:-1"])
    func `what is no time is none`(_ text: String) { #expect(ClusterJob.duration(text) == nil) }

    @Test func `a walltime is what sbatch takes`() {
        let times = [
            ("90", 90), ("90:30", 90), ("8:00:00", 480), ("1-0", 1440), ("1-2:30", 1590), ("2-00:05:59", 2885),
        ]
        for (text, minutes) in times { #expect(NodeResources.minutes(text) == minutes, "\(text)") }
        for text in ["", "0", "0:59", "x", "1-", "1:2:3:4", "-5", "1-1-1", "UNLIMITED"] {
            #expect(NodeResources.minutes(text) == nil, "\(text)")
        }
    }

    @Test func `nodes do not end together`() {
        let lives = (1...16).map { NodeResources.lifetime(of: $0, within: 480) }
        #expect(lives.allSatisfy { (360...480).contains($0) })
        #expect(Set(lives).count == 16)
        #expect((1...100).allSatisfy { NodeResources.lifetime(of: $0, within: 1) == 1 })
    }

    @Test func `a script is a shell that becomes the node`() {
        var resources = NodeResources()
        (resources.partition, resources.cpusPerTask, resources.constraint) = ("gpu", 4, #"a&"b\"#)
        let text = BatchScript(
            name: "cutroom-abc-7", worker: "/opt/it's here/cutroom-worker", endpoint: "tcp://farm:7700", key: "/k",
            serverKey: "/s", spool: "/p", log: "/l/100%.log", resources: resources, minutes: 77, tags: "gpu"
        ).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first == "#!/bin/bash")
        for line in [
            "--job-name=cutroom-abc-7", "--no-requeue", "--signal=B:TERM@30", "--time=77", "--partition=gpu",
            "--cpus-per-task=4", "--output=/l/100%%.log", #"--constraint=a&\"b\\"#,
        ] { #expect(lines.contains("#SBATCH \"\(line)\""), "\(line)\n\(text)") }
        #expect(
            lines.last?.hasPrefix(#"exec '/opt/it'\''s here/cutroom-worker' '--connect' 'tcp://farm:7700'"#) == true)
        #expect(lines.last?.contains("'--drain-seconds' '20'") == true)
    }
}
