// A queue of four bytes, in a memory.
module queue(input clk, input push, input pop, input [7:0] in, output [7:0] out);
  reg [7:0] cells [0:3];
  reg [2:0] written = 0, read = 0;
  wire [2:0] used = written - read;
  wire full = used == 3'd4, empty = used == 3'd0;
  assign out = cells[read[1:0]];
  always @(posedge clk) begin
    if (push && !full) begin
      cells[written[1:0]] <= in;
      written <= written + 3'd1;
    end
    if (pop && !empty) read <= read + 3'd1;
  end

  reg was_first = 0;
  reg [7:0] first;
  always @(posedge clk) begin
    was_first <= push && empty;
    first <= in;
  end
  always @* assert (used <= 3'd4);
  always @* if (was_first) assert (out == first);
`ifdef WRONG
  always @* assert (!full || out != 8'h5a);
`endif
endmodule
